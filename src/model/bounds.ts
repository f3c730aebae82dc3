/**
 * How long what a caller gives may be. What is read in one stretch keeps others waiting, so all of it has an end; none
 * is near what people write. What does not fit is refused with a sentence, never cut.
 */

/** As Slurm has it where nothing else is configured (max_script_size). */
export const MOST_SCRIPT_BYTES = 4 * 1024 * 1024;

/** Of all lines together by which a script says its options. */
export const MOST_DIRECTIVE_BYTES = 64 * 1024;

/** Linux gives no program a longer one (MAX_ARG_STRLEN). */
export const MOST_ARGUMENT_BYTES = 128 * 1024;

/** Linux gives no program more arguments and environment together. */
export const MOST_CALL_BYTES = 6 * 1024 * 1024;
