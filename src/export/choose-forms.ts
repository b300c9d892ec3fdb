/** The form in which each flag is written: the best one of those that load to the very flag that is live. */

import { FlaghoistError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { writtenFlag, type FiltersForm } from '../manifest/write/flag.ts';
import { groupFiles } from '../manifest/write/group-files.ts';
import { layOut } from '../manifest/write/layout.ts';
import type { NameLookup } from '../manifest/write/names.ts';
import type { Flag } from '../model/flag.ts';
import type { ExportedFile, ExportInput, ExportOptions, ExportReason, LeftOutFlag } from './export.ts';
import { readBack, type ReadBack } from './read-back.ts';

export interface Chosen {
  readonly files: readonly ExportedFile[];
  readonly chosen: readonly ChosenFlag[];
  readonly leftOut: readonly LeftOutFlag[];
}

export interface ChosenFlag {
  readonly flag: Flag;
  readonly form: FiltersForm;
  /** Why the filters are not checked; empty where they are. */
  readonly reasons: readonly ExportReason[];
}

interface Surroundings {
  readonly input: ExportInput;
  readonly options: ExportOptions;
  readonly names: NameLookup;
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
  if (apart.size > 0) return apart;
  throw new FlaghoistError('internal', `Exported manifests cannot be read: ${together.unplaced.join(', ')}.`);
}

function problemsApart(one: ChosenFlag, surroundings: Surroundings): ReadBack['reasons'] {
  const { reasons, unplaced } = readBack(filesOf([one], surroundings), [one.flag], surroundings.input);
  return unplaced.length === 0 ? reasons : new Map([[one.flag.key, [...new Set(unplaced)].sort()]]);
}

function flagsOf(chosen: readonly ChosenFlag[]): Flag[] {
  return chosen.map(({ flag }) => flag);
}

function filesOf(chosen: readonly ChosenFlag[], surroundings: Surroundings): ExportedFile[] {
  const { schemaPath, groupBy = 'prefix' } = surroundings.options;
  const written = new Map(chosen.map((one) => [one.flag.key, writtenAs(one, surroundings)]));
  const comments = new Map(
    chosen.flatMap(({ flag: { key }, reasons }) => (reasons.length > 0 ? [[key, remark(reasons)]] : [])),
  );
  return [...groupFiles([...written.keys()], groupBy)].map(([path, keys]) => ({
    path,
    text: layOut({ flags: Object.fromEntries(keys.map((key) => [key, written.get(key)])) }, { schemaPath, comments }),
  }));
}

function writtenAs({ flag, form }: ChosenFlag, { input, names }: Surroundings): JsonObject {
  return writtenFlag(flag, { form, roleAccess: input.roleAccess?.[String(flag.id)], names });
}

function remark(reasons: readonly ExportReason[]): string {
  return `The filters stand under fields, as they are live and unchecked: ${reasons.join(', ')}`;
}
