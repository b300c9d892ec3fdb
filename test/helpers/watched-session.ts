/** A session without a process, which keeps what the code under test says. */

import type { Context } from '../../src/cli/session/context.ts';
import { tellFailure, type Session } from '../../src/cli/session/session.ts';
import type { Report, ReportOf } from '../../src/report/report.ts';
import { PLAIN } from '../../src/report/view.ts';

export interface Watched {
  readonly session: Session;
  /** What was written, in order, each with how: `note  text`. */
  readonly said: string[];
  /** What was to become text or a document. */
  readonly reports: Report[];
  /** How often the code let a signal be seen. */
  readonly breaths: () => number;
}

interface WatchedOptions {
  readonly context?: Partial<Context>;
  readonly options?: Partial<Session['options']>;
}

/** In the folder `/`, without environment and options, unless they are given. */
export function watchSession({ context = {}, options = {} }: WatchedOptions = {}): Watched {
  const [said, reports]: [string[], Report[]] = [[], []];
  let breaths = 0;
  const session = {
    context: { cwd: '/', env: {}, now: () => 0, ...context },
    options: { concurrency: 1, quiet: true, verbose: false, format: 'text', ...options },
    places: { root: '/' },
    palette: PLAIN,
    paces: new Map(),
    interrupts: {
      stop: new AbortController().signal,
      cut: new AbortController().signal,
      checkpoint: () => undefined,
      breathe: async () => Promise.resolve(void (breaths += 1)),
      drain: () => undefined,
    },
    async publishFailure(this: Session, report: ReportOf<'failure'>) {
      await tellFailure(this, report);
    },
    print: async (text: string) => Promise.resolve(void said.push(`print ${text}`)),
    note: async (text: string) => Promise.resolve(void said.push(`note ${text}`)),
    textOf: async (report: Report) => {
      reports.push(report);
      return Promise.resolve(report.kind);
    },
    publish: async (report: Report) => Promise.resolve(void reports.push(report)),
  };
  return { session: session as unknown as Session, said, reports, breaths: () => breaths };
}
