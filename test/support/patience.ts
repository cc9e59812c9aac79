// How long tests wait for what has to happen in the end. No test is about that time, so it is long: a machine that is
// busy with others, or stands still for a while, makes none of them fail. What never happens is found all the same.
export const PATIENCE_MS = 300_000;

/** For what happens by itself, and only has to happen. */
export const IN_THE_END = { timeout: PATIENCE_MS, interval: 20 };
