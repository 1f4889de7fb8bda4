// `application_id` of the databases: which copy of a file one has before oneself.

/** In every copy a backup holds; "hubb". */
export const BACKUP_MARK = 0x68756262;
/** In a file nobody has marked yet. */
export const NO_MARK = 0;
