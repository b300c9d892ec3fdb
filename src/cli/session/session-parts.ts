/** The parts that a session and its publisher share: the context, the options, the guards of one run, and the secrets that stay inside the process. */

import { replaceSpellings, spellingsOf } from '../../base/api-key.ts';
import { FlagwrightError } from '../../base/errors.ts';
import type { GlobalOptions } from '../line/options.ts';
import type { Context } from './context.ts';
import type { Interrupts } from './interrupts.ts';

export interface Secrets {
  add(secret: string): void;
  redact(text: string): string;
  /**
   * `message`: the action that failed; `source`: the text before masking.
   * @throws {FlagwrightError} `refused` if the text contains a secret, so that it cannot be written unchanged.
   */
  refuse(text: string, refusal: { readonly message: string; readonly source: string }): void;
}

// A shorter string is not a key of the service, and redacting `x` would garble every document.
const SHORTEST = 8;
const PLACEHOLDER = '[redacted]';

export function createSecrets(): Secrets {
  const known = new Set<string>();
  const redact = (text: string): string => replaceSpellings(text, known, PLACEHOLDER);
  return {
    add: (secret) => {
      if (secret.length >= SHORTEST) for (const spelling of spellingsOf(secret)) known.add(spelling);
    },
    redact,
    refuse: (text, { message, source }) => {
      if (redact(text) === text) return;
      throw new FlagwrightError('refused', message, {
        remedy: `Find the key in descriptions and payloads of ${source}, and replace it.`,
      });
    },
  };
}

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
