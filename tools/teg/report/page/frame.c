#include "tools/teg/report/page/frame.h"

#include "tools/teg/report/chart.h"

static const char *const script_lines[] = {
#include "page.js.inc"
};
static const char *const style_lines[] = {
#include "page.css.inc"
};

static void print_lines(FILE *f, const char *const *line, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fputs(line[i], f);
}

void html_frame_open(FILE *f, const char *title, const char *gpu,
                     const char *style)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, "
          "initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
          f);
    html_text(f, title);
    fputs(" on ", f);
    html_text(f, gpu);
    fputs(" - teg</title>\n<style>\n", f);
    if (style != NULL)
        fputs(style, f);
    print_lines(f, style_lines, sizeof style_lines / sizeof style_lines[0]);
    fputs("</style></head><body>\n", f);
}

void html_frame_close(FILE *f, const char *script)
{
    if (script != NULL) {
        fputs("<script>", f);
        fputs(script, f);
        fputs("\n</script>\n", f);
    }
    fputs("<script>\n", f);
    print_lines(f, script_lines, sizeof script_lines / sizeof script_lines[0]);
    fputs("</script>\n</body></html>\n", f);
}
