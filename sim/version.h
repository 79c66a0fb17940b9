/*
 * The version, in this one place: what `teg --version`, the pages and the JSON
 * say; the Makefile reads it for the manual pages and the packages.
 * Semantic (semver.org); CHANGELOG.md says what each brought.
 */
#ifndef TEG_SIM_VERSION_H
#define TEG_SIM_VERSION_H

#define TEG_VERSION "0.1.0"

#endif
