// SQLite's session extension (https://sqlite.org/session.html). Debian's library has it; its header declares the functions
// only under two macros, which the module of GRDB does not define.
#ifndef UBIQUITY_CSESSION_H
#define UBIQUITY_CSESSION_H

struct sqlite3;
struct sqlite3_changeset_iter;
struct sqlite3_session;
struct sqlite3_value;

int sqlite3session_create(struct sqlite3 *, const char *schema, struct sqlite3_session **);
void sqlite3session_delete(struct sqlite3_session *);
int sqlite3session_attach(struct sqlite3_session *, const char *table);
int sqlite3session_changeset(struct sqlite3_session *, int *size, void **bytes);

int sqlite3changeset_start(struct sqlite3_changeset_iter **, int size, void *bytes);
int sqlite3changeset_next(struct sqlite3_changeset_iter *);
int sqlite3changeset_op(struct sqlite3_changeset_iter *, const char **table, int *columns, int *operation, int *indirect);
int sqlite3changeset_old(struct sqlite3_changeset_iter *, int column, struct sqlite3_value **);
int sqlite3changeset_new(struct sqlite3_changeset_iter *, int column, struct sqlite3_value **);
int sqlite3changeset_finalize(struct sqlite3_changeset_iter *);

#endif
