/** Chooses the form of each exported flag: the first one that loads to exactly the live flag. */

import { FlagwrightError } from '../base/errors.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { ExportedFile, ExportReason, LeftOutFlag } from './export.ts';
import { writeFiles, type ChosenFlag, type Surroundings } from './files.ts';
import { readBack, type ReadBack } from './read-back.ts';

export interface Chosen {
  readonly files: readonly ExportedFile[];
  readonly chosen: readonly ChosenFlag[];
  readonly leftOut: readonly LeftOutFlag[];
}

/**
 * Loads and plans the files before they are written. A flag with a problem gets the next form, until no problem is left. So
 * every written flag loads to what is live, whatever older services stored.
 */
export function chooseForms(flags: readonly Flag[], surroundings: Surroundings): Chosen {
  const leftOut: LeftOutFlag[] = [];
  let chosen = flags.map((flag): ChosenFlag => ({ flag, form: 'checked', reasons: [] }));
  for (;;) {
    const files = writeFiles(chosen, surroundings);
    const problems = findProblems(chosen, files, surroundings);
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

function findProblems(
  chosen: readonly ChosenFlag[],
  files: readonly ExportedFile[],
  surroundings: Surroundings,
): ReadBack['reasons'] {
  const together = readBack(files, flagsOf(chosen), surroundings);
  if (together.unplaced.length === 0) return together.reasons;
  // If a file cannot be read, its flags are read one by one.
  const apart = new Map(chosen.flatMap((one) => [...problemsApart(one, surroundings)]));
  if (apart.size === 0) throw unreadable(together.unplaced);
  return apart;
}

function problemsApart(one: ChosenFlag, surroundings: Surroundings): ReadBack['reasons'] {
  const { reasons, unplaced } = readBack(writeFiles([one], surroundings), [one.flag], surroundings);
  return unplaced.length === 0 ? reasons : new Map([[one.flag.key, [...new Set(unplaced)].sort()]]);
}

function unreadable(reasons: readonly ExportReason[]): FlagwrightError {
  return new FlagwrightError('internal', `Exported manifests cannot be read: ${reasons.join(', ')}.`);
}

function flagsOf(chosen: readonly ChosenFlag[]): Flag[] {
  return chosen.map(({ flag }) => flag);
}
