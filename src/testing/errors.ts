/** The errors of `flagwright/testing`. Test runners print the message of an error and nothing else of it, so it says everything. */

import { FlagwrightError } from '../base/errors.ts';
import { quoted } from '../base/wording.ts';
import { defined } from '../base/optional.ts';
import { describe } from '../report/words/diagnostics.ts';
import type { Answer, UndecidedAnswer } from './api.ts';

export function usageError(problem: string, remedy: string, cause?: unknown): FlagwrightError {
  return new FlagwrightError('usage', `${problem} ${remedy}`, defined({ cause }));
}

/** @throws {FlagwrightError} `usage` if the manifests do not decide the value. */
export function requireDecided(key: string, answer: Answer | UndecidedAnswer): Answer {
  if (!('undecided' in answer)) return answer;
  const { file, line, column } = answer.place;
  throw usageError(
    `${file}:${line}:${column}: the value of ${quoted(key)} is unknown here: ${answer.undecided}.`,
    answer.remedy,
  );
}

/** Adds a line for each problem of the configuration or the manifests. */
export function withPlaces(error: unknown): unknown {
  if (!(error instanceof FlagwrightError) || error.diagnostics.length === 0) return error;
  const { code, diagnostics } = error;
  const lines = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map((diagnostic) => {
      const { message, remedy } = describe(diagnostic);
      const { place } = diagnostic;
      return `${place === undefined ? '' : `${place.file}:${place.line}:${place.column}: `}${message} ${remedy}`;
    });
  const message = lines.length === 1 ? lines[0] : [error.message, ...lines].join('\n  ');
  return new FlagwrightError(code, message ?? error.message, { diagnostics, cause: error });
}
