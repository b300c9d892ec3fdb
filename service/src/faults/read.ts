/** Checks a fault script against its schema and against rules that a schema cannot express. */

import { FlagwrightError } from '../../../src/base/errors.ts';
import { validateFaults } from '../../../src/base/generated/fault-validators.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { checkShape } from '../../../src/base/shape/check.ts';
import { type ShapeDiagnostic, SHAPE_WORDS } from '../../../src/base/shape/problems.ts';
import { describeWith } from '../../../src/base/wording.ts';
import { EFFECTS, ENDINGS, type FaultRule, type FaultScript } from './script.ts';

/** Throws `FlagwrightError('usage')` with the JSON pointer of the first problem. */
export function readFaults(script: JsonValue): FaultScript {
  const [problem] = checkShape(validateFaults, script, NO_PLACES);
  if (problem !== undefined) throw refused(problem.path ?? '', describe(problem));
  const checked = script as unknown as FaultScript;
  checked.faults.forEach((rule, index) => checkRule(rule, `/faults/${index}`));
  return checked;
}

/** The script arrives as a value; only the caller that read it from a file knows its lines. */
const NO_PLACES = { place: { file: '', line: 1, column: 1 } };

function describe(problem: ShapeDiagnostic): string {
  const { message, remedy } = describeWith(SHAPE_WORDS, problem);
  return `${message} ${remedy}`;
}

function checkRule(rule: FaultRule, pointer: string): void {
  const excluding = (names: readonly (keyof FaultRule)[]): void => {
    const properties = names.filter((name) => rule[name] !== undefined);
    if (properties.length < 2) return;
    throw refused(pointer, describe({ code: 'combination-forbidden', severity: 'error', args: { properties } }));
  };
  excluding(ENDINGS);
  excluding(['count', 'for_ms']);
  if (EFFECTS.every((name) => rule[name] === undefined)) {
    throw refused(pointer, `The rule does nothing. Give it one of ${EFFECTS.join(', ')}.`);
  }
}

function refused(pointer: string, text: string): FlagwrightError {
  const place = pointer === '' ? 'the top level' : pointer;
  return new FlagwrightError('usage', `The fault script is invalid at ${place}: ${text}`, {
    remedy: 'See docs/faults.md for the members of a script.',
  });
}
