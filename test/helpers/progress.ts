/** Lines of progress, which a run prints every ten seconds where stderr is no terminal: only a slow machine sees any. */

const LINE = /^(?:reading|applying|verifying|\w+ · \d+ of \d+ projects? done)(?: · .*)?\n/gm;

/** What a run wrote to stderr, without the lines that depend on the speed of the machine. `progress.test.ts` tests those. */
export function withoutProgress(stderr: string): string {
  return stderr.replaceAll(LINE, '');
}
