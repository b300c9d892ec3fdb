/** Converts the flags of a seed to stored flags, with defaults for what the seed omits. */

import type { JsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { NO_FILTERS } from '../filters/rules.ts';
import type { NewFlag } from '../store/flags.ts';
import { parseTimestamp } from '../format/timestamp.ts';
import { EMBEDDED_USER } from '../handler/user.ts';
import { seedProblem, type SeedDocument, type SeedExperiment, type SeedFlag } from './document.ts';

interface SeededFlag {
  readonly flag: NewFlag;
  /** The pointer of the flag in the seed. */
  readonly pointer: string;
}

interface SeedDefaults {
  readonly projectId: string;
  readonly time: string;
}

export function buildSeededFlags(document: SeedDocument, defaults: SeedDefaults): SeededFlag[] {
  const flags = document.flags.map((seeded, index): SeededFlag => {
    const pointer = `${document.flagsPointer}/${index}`;
    const linked = document.experiments.filter(({ flag }) => flag === seeded.key || flag === seeded.id);
    return { flag: buildFlag(withExperiments(seeded, linked), defaults, pointer), pointer };
  });
  checkExperiments(document, flags);
  return flags;
}

function buildFlag(seeded: SeedFlag, { projectId, time }: SeedDefaults, pointer: string): NewFlag {
  const { id, key, name, active, deleted, archived, version, created_at: createdAt, filters, ...fields } = seeded;
  if (createdAt !== undefined && parseTimestamp(createdAt) === undefined) {
    throw seedProblem(`${pointer}/created_at`, `${JSON.stringify(createdAt)} is not a date and time`);
  }
  return {
    ...defined({ id }),
    projectId,
    key,
    name: name ?? '',
    active: active ?? true,
    deleted: deleted ?? false,
    archived: archived ?? false,
    version: version === undefined ? 1 : version,
    createdAt: createdAt ?? time,
    filters: filters ?? NO_FILTERS,
    fields: { created_by: EMBEDDED_USER, last_modified_by: EMBEDDED_USER, updated_at: time, ...fields },
  };
}

/** The fields that experiments add to their flag. */
function withExperiments(seeded: SeedFlag, experiments: readonly SeedExperiment[]): SeedFlag {
  if (experiments.length === 0) return seeded;
  const metadata = experiments.map(({ id, name = '', is_running: isRunning = false }): JsonObject => ({
    id,
    name,
    is_running: isRunning,
  }));
  return { ...seeded, experiment_set: experiments.map(({ id }) => id), experiment_set_metadata: metadata };
}

function checkExperiments(document: SeedDocument, flags: readonly SeededFlag[]): void {
  for (const [index, { flag: name }] of document.experiments.entries()) {
    if (!flags.some(({ flag }) => flag.key === name || flag.id === name)) {
      throw seedProblem(`/experiments/${index}/flag`, `no flag is named ${JSON.stringify(name)}`);
    }
  }
}
