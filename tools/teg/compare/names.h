/*
 * Names of kernels as profilers print them, beside symbols:
 *
 *     void ns::scale<float, (int)4>(float *, int)    _ZN2ns5scaleIfLi4EEEvPfi
 */
#ifndef TEG_TOOLS_TEG_COMPARE_NAMES_H
#define TEG_TOOLS_TEG_COMPARE_NAMES_H

/* How well `symbol` is what a profiler calls `printed`: 3 by the symbol or all
 * of its name, 2 by the name without parameters, 1 without template arguments
 * and namespaces too, 0 not at all. */
int name_likeness(const char *symbol, const char *printed);

#endif
