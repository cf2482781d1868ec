// What a changelog looks like with one more entry. It touches nothing, so it can be tested anywhere.
#ifndef CHANGELOG_H
#define CHANGELOG_H

#include "text.h"

// The entry that a task makes, its first line that is not blank; false if there is none.
bool make_entry(text task, buffer *out);

// The changelog with the entry below the heading, newest first; false if it stands there already.
bool add_entry(text changelog, text heading, text entry, buffer *out);

#endif
