/** The form in which each flag is written: the best one of those that load to the very flag that is live. */

import { FlagwrightError } from '../base/errors.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { ExportedFile, ExportReason, LeftOutFlag } from './export.ts';
import { filesOf, type ChosenFlag, type Surroundings } from './files.ts';
import { readBack, type ReadBack } from './read-back.ts';

export interface Chosen {
  readonly files: readonly ExportedFile[];
  readonly chosen: readonly ChosenFlag[];
  readonly leftOut: readonly LeftOutFlag[];
}

/**
 * What is about to be written is loaded and planned, and whatever then is wrong with a flag takes it one form further,
 * until nothing is wrong. So nothing is written that loads to something else, whatever the services of the past stored.
 */
export function chooseForms(flags: readonly Flag[], surroundings: Surroundings): Chosen {
  const leftOut: LeftOutFlag[] = [];
  let chosen = flags.map((flag): ChosenFlag => ({ flag, form: 'checked', reasons: [] }));
  for (;;) {
    const files = filesOf(chosen, surroundings);
    const problems = problemsOf(chosen, files, surroundings);
    if (problems.size === 0) return { files, chosen, leftOut };
    if (!chosen.some(({ flag }) => problems.has(flag.key))) throw unreadable([...problems.values()].flat());
    chosen = chosen.flatMap((one): ChosenFlag[] => {
      const reasons = problems.get(one.flag.key);
      if (reasons === undefined) return [one];
      if (one.form === 'checked' && one.flag.filters !== undefined) return [{ ...one, form: 'unchecked', reasons }];
      leftOut.push({ key: one.flag.key, id: one.flag.id, reasons });
      return [];
    });
  }
}

function problemsOf(
  chosen: readonly ChosenFlag[],
  files: readonly ExportedFile[],
  surroundings: Surroundings,
): ReadBack['reasons'] {
  const together = readBack(files, flagsOf(chosen), surroundings.input);
  if (together.unplaced.length === 0) return together.reasons;
  // A file that cannot be read says nothing of the flags in it, so each is read by itself.
  const apart = new Map(chosen.flatMap((one) => [...problemsApart(one, surroundings)]));
  if (apart.size === 0) throw unreadable(together.unplaced);
  return apart;
}

function problemsApart(one: ChosenFlag, surroundings: Surroundings): ReadBack['reasons'] {
  const { reasons, unplaced } = readBack(filesOf([one], surroundings), [one.flag], surroundings.input);
  return unplaced.length === 0 ? reasons : new Map([[one.flag.key, [...new Set(unplaced)].sort()]]);
}

function unreadable(reasons: readonly ExportReason[]): FlagwrightError {
  return new FlagwrightError('internal', `Exported manifests cannot be read: ${reasons.join(', ')}.`);
}

function flagsOf(chosen: readonly ChosenFlag[]): Flag[] {
  return chosen.map(({ flag }) => flag);
}
