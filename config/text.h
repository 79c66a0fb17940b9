/*
 * A look at the text of a description before libconfig reads it.
 *
 * libconfig 1.5 ends the process when it is told to include a directory, cuts
 * integers of more than 31 bits without a word, passes over an @include that it
 * cannot read as one, looks an absolute one up below a directory, and loses
 * memory over a string without an end or where none belongs.  These are faults
 * of the file and are found here.
 */
#ifndef TEG_CONFIG_TEXT_H
#define TEG_CONFIG_TEXT_H

#include "isa/base/status.h"

/* Checks the file and those it includes.  `directory` is where @include looks
 * things up. */
teg_status config_text_check(const char *path, const char *directory,
                             struct teg_diag *d);

#endif
