/*
 * What a measurement leaves behind: records, errors, notes, and the JSON that
 * holds them (docs/measuring.md describes every member).
 */
#pragma once
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

typedef std::vector<double> samples;
typedef std::vector<std::pair<std::string, double>> conditions;

struct record {
    std::string section, name, quantity, unit;
    std::string op_class; /* of isa/inst/op_class.def; "" where none follows */
    std::string kernel;   /* whose instructions stand for the value */
    conditions at;
    double median, min, max;
    size_t count;
};

struct kit {
    std::vector<record> results;
    std::vector<std::pair<std::string, std::string>> errors;
    std::vector<std::pair<std::string, std::string>> notes;
    std::vector<std::pair<std::string, double>> section_seconds;
    std::string section;                         /* running */
    std::chrono::steady_clock::time_point until; /* of that section */
    bool broken = false;                         /* the CUDA context is lost */
    bool budget_noted = false;                   /* for that section */
    cudaDeviceProp device;
    int arch = 0;         /* compute capability x10 */
    int code = 0;         /* x10 that the kernels were compiled for */
    double clock_mhz = 0; /* measured, else reported; 0: unknown */
    bool sass_checked = false;
    std::map<std::string, std::string> sass; /* kernel -> "ok" or what is
                                                wrong */
};

static void kit_error(kit *k, const char *call, cudaError_t error)
{
    k->errors.push_back({k->section + ": " + call, cudaGetErrorString(error)});
    fprintf(stderr, "measure: %s: %s: %s\n", k->section.c_str(), call,
            cudaGetErrorString(error));
    /* Whether later calls can work is seen by trying one. */
    cudaGetLastError();
    k->broken = cudaDeviceSynchronize() != cudaSuccess;
}

static void kit_note(kit *k, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    k->notes.push_back({k->section, text});
}

/* Returns false from the enclosing function, naming the call. */
#define CALL(k, call)                      \
    do {                                   \
        cudaError_t error_ = (call);       \
        if (error_ != cudaSuccess) {       \
            kit_error((k), #call, error_); \
            return false;                  \
        }                                  \
    } while (0)

/* True once the section has used its time; says so once. */
static bool kit_late(kit *k)
{
    if (std::chrono::steady_clock::now() < k->until)
        return false;
    if (!k->budget_noted)
        kit_note(k, "out of time; the rest of the section was left out");
    k->budget_noted = true;
    return true;
}

/* Adds a record of the samples' median and spread.  Samples that are no
 * finite number above 0 are dropped: a difference of two times can come out
 * so when something interfered. */
static void kit_add(kit *k, const char *name, const char *quantity,
                    const char *unit, const samples &all,
                    const conditions &at = {}, const char *op_class = "",
                    const std::string &kernel = "")
{
    samples s;

    for (double v : all) {
        if (std::isfinite(v) && v > 0)
            s.push_back(v);
    }
    if (s.empty()) {
        kit_note(k, "%s %s: no usable sample of %zu", name, quantity,
                 all.size());
        return;
    }
    std::sort(s.begin(), s.end());
    k->results.push_back({k->section, name, quantity, unit, op_class, kernel,
                          at, (s[(s.size() - 1) / 2] + s[s.size() / 2]) / 2,
                          s.front(), s.back(), s.size()});
}

static double median_of(samples s)
{
    if (s.empty())
        return 0;
    std::sort(s.begin(), s.end());
    return (s[(s.size() - 1) / 2] + s[s.size() / 2]) / 2;
}

/* ---- JSON --------------------------------------------------------------- */

static std::string quoted(const std::string &text)
{
    std::string out = "\"";
    char code[8];

    for (unsigned char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += (char)c;
        } else if (c < 0x20) {
            snprintf(code, sizeof code, "\\u%04x", c);
            out += code;
        } else {
            out += (char)c;
        }
    }
    return out + "\"";
}

static std::string sass_word(const kit *k, const std::string &kernel)
{
    auto found = k->sass.find(kernel);

    if (kernel.empty() || !k->sass_checked || found == k->sass.end())
        return "";
    return ", \"sass\": " + quoted(found->second);
}

static void print_record(FILE *f, const kit *k, const record &r)
{
    const char *comma = "";

    fprintf(f, "    {\"section\": %s, \"name\": %s, \"quantity\": %s, ",
            quoted(r.section).c_str(), quoted(r.name).c_str(),
            quoted(r.quantity).c_str());
    if (!r.op_class.empty())
        fprintf(f, "\"class\": %s, ", quoted(r.op_class).c_str());
    if (!r.at.empty()) {
        fprintf(f, "\"at\": {");
        for (const auto &c : r.at) {
            fprintf(f, "%s%s: %.10g", comma, quoted(c.first).c_str(), c.second);
            comma = ", ";
        }
        fprintf(f, "}, ");
    }
    fprintf(f,
            "\"unit\": %s, \"median\": %.6g, \"min\": %.6g, \"max\": %.6g, "
            "\"samples\": %zu%s}",
            quoted(r.unit).c_str(), r.median, r.min, r.max, r.count,
            sass_word(k, r.kernel).c_str());
}

typedef std::vector<std::pair<std::string, std::string>> texts;

static void print_texts(FILE *f, const char *name, const char *first,
                        const char *second, const texts &list)
{
    const char *comma = "";

    fprintf(f, "  \"%s\": [", name);
    for (const auto &t : list) {
        fprintf(f, "%s\n    {\"%s\": %s, \"%s\": %s}", comma, first,
                quoted(t.first).c_str(), second, quoted(t.second).c_str());
        comma = ",";
    }
    fprintf(f, "%s],\n", list.empty() ? "" : "\n  ");
}
