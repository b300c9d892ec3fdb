/** Keeps API keys inside the process: text is redacted, and a file that must be exact is refused. */

import { replaceSpellings, spellingsOf } from '../../base/api-key.ts';
import { FlagwrightError } from '../../base/errors.ts';

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
