/** Refuses a `--target` that selects no flag of the run: the run would end as if everything were in sync. */

import { FlagwrightError } from '../../base/errors.ts';
import { nearest } from '../../base/text.ts';
import { quoted, shown } from '../../base/wording.ts';
import { matchKeys, unmatchedPatterns } from '../../engine/scope.ts';
import { nameOfCohort } from '../../posthog/cohort/changes.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { LiveState } from '../../posthog/live.ts';

export interface Selectable {
  /** The name of the project. */
  readonly project: string;
  readonly desired: DesiredState;
  readonly live: LiveState;
  /** Keys of unmanaged flags that the run reports or deletes. */
  readonly unmanaged: readonly string[];
}

/** @throws {FlagwrightError} `usage` with the reason and the remedy for each target that selects nothing. */
export function checkTargets(targets: readonly string[], selectable: Selectable): void {
  const { flags, cohorts = [] } = selectable.desired;
  const keys = [
    ...flags.map(({ key }) => key),
    ...selectable.unmanaged,
    ...cohorts.map(({ key }) => nameOfCohort(key)),
  ];
  refuse(unmatchedPatterns(targets, keys).map((target) => explain(target, keys, selectable)));
}

/**
 * The same for live flags that are exported.
 * @throws {FlagwrightError} `usage`, as above.
 */
export function checkLiveTargets(targets: readonly string[], keys: readonly string[], project: string): void {
  const among = `of the project ${quoted(project)}`;
  refuse(unmatchedPatterns(targets, keys).map((target) => explainUnknown(target, keys, among)));
}

function refuse(reasons: readonly Reason[]): void {
  if (reasons.length === 0) return;
  const distinct = (texts: readonly string[]): string => [...new Set(texts)].join(' ');
  throw new FlagwrightError('usage', distinct(reasons.map(({ why }) => why)), {
    remedy: distinct(reasons.map(({ remedy }) => remedy)),
  });
}

interface Reason {
  readonly why: string;
  readonly remedy: string;
}

function explain(target: string, keys: readonly string[], selectable: Selectable): Reason {
  const { project, live } = selectable;
  const isNamed = matchKeys([target]);
  const option = `--target ${shown(target)}`;
  const elsewhere = selectable.desired.namedElsewhere?.find(isNamed);
  if (elsewhere !== undefined) {
    return {
      why: `${option}: the manifests declare ${quoted(elsewhere)} for other projects, not for ${quoted(project)}.`,
      remedy: 'Select another project with --project, or change `only_in` in the manifest.',
    };
  }
  const renamed = selectable.desired.flags.find(
    (flag) => flag.kind === 'declared' && flag.previousKeys.some(isNamed),
  )?.key;
  if (renamed !== undefined) {
    return {
      why: `${option}: that is a previous key of ${quoted(renamed)}.`,
      remedy: `Use --target ${shown(renamed)}.`,
    };
  }
  const unmanaged = live.flags.find(({ key, deleted }) => deleted !== true && isNamed(key))?.key;
  if (unmanaged !== undefined) {
    return {
      why: `${option}: no manifest declares the flag ${quoted(unmanaged)} of the project ${quoted(project)}.`,
      remedy: 'Declare it; `flagwright export` writes live flags as manifests.',
    };
  }
  return explainUnknown(target, keys, `that the manifests declare for the project ${quoted(project)}`);
}

/** `among`: which flags could have been named. */
function explainUnknown(target: string, keys: readonly string[], among: string): Reason {
  const option = `--target ${shown(target)}`;
  const parts = target.split(',').map((part) => part.trim());
  if (parts.length > 1 && !target.includes('{')) {
    return {
      why: `${option} matches no flag: a comma does not separate targets.`,
      remedy: `Separate them with spaces: --target ${parts
        .filter((part) => part !== '')
        .map(shown)
        .join(' ')}.`,
    };
  }
  const why = `${option} matches no flag ${among}.`;
  if (target !== '' && keys.some((key) => key.startsWith(target))) {
    return { why, remedy: `For all keys with this prefix, use --target "${shown(target)}*".` };
  }
  const suggestion = nearest(target, keys);
  const remedy = suggestion === undefined ? 'Check its spelling.' : `Did you mean --target ${shown(suggestion)}?`;
  return { why, remedy };
}
