/** The guard that keeps API keys inside the process: text is redacted, and a file that has to be exact is refused. */

import { replaceSpellings, spellingsOf } from '../../base/api-key.ts';
import { FlagwrightError } from '../../base/errors.ts';

export interface Secrets {
  add(secret: string): void;
  redact(text: string): string;
  /** @throws {FlagwrightError} `refused` when the text holds a secret and so cannot be written as it is. */
  refuse(text: string, refusal: Refusal): void;
}

interface Refusal {
  /** What was not done. */
  readonly message: string;
  /** What the text was made from. */
  readonly source: string;
}

// Shorter ones are not keys of the service, and redacting `x` would spoil every document.
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
