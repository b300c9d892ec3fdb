/** The parts that a session and its publisher share: the context, the options, and the guards of one run. */

import type { GlobalOptions } from '../line/options.ts';
import type { Context } from './context.ts';
import type { Interrupts } from './interrupts.ts';
import type { Secrets } from './secrets.ts';

export interface SessionParts {
  /** The folder that places in files are relative to: the working directory, later the folder of flagwright.yaml. */
  readonly places: {
    root: string;
    /** Folders of the journal that `--journal` names; by default one folder next to flagwright.yaml is both. */
    journal?: { readonly runs: string; readonly newRuns?: string };
  };
  readonly context: Context;
  readonly options: GlobalOptions;
  readonly interrupts: Interrupts;
  readonly secrets: Secrets;
}
