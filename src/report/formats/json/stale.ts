/** The JSON of `stale` (schemas/stale.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { StaleFlag } from '../../../references/staleness.ts';
import { gapsOfAll } from '../../../references/use.ts';
import type { StaleReport } from '../../report.ts';
import { taskOf } from '../markdown/stale-task.ts';
import { FORMAT_VERSION } from './seal.ts';

export function staleDocument(report: StaleReport): JsonObject {
  const { code, flags, judged, days, asked, unasked, requests, unexplained, tasks } = report;
  return {
    format_version: FORMAT_VERSION,
    judged,
    days,
    asked: [...asked],
    not_asked: unasked.map(({ name, isForbidden }) => ({ project: name, forbidden: isForbidden === true })),
    requests,
    unexplained: unexplained ?? 0,
    gaps: gapsOfAll(code).map((gap) => ({ ...gap }) as unknown as JsonObject),
    flags: flags.map((flag) => ({ ...flagDocument(flag), ...(tasks ? { task: taskOf(flag) ?? null } : {}) })),
  };
}

function flagDocument({ use, owner, place, changed, live, holders, signals, ...flag }: StaleFlag): JsonObject {
  const { key, step, state, description, answer, expires } = flag;
  return {
    key,
    next_step: step,
    signals: { ...signals },
    state,
    ...defined({
      place: place && { ...place },
      description,
      answer,
      expires,
      changed: changed && { ...changed },
      owner: owner && { ...owner },
    }),
    verdict: use.verdict,
    references: use.references.map(({ place: at, certain, repository }) => ({
      ...defined({ repository }),
      place: { ...at },
      certain,
    })),
    live: live.map((one) => ({ ...one })),
    used_by: holders.map(({ project, what, names }) => ({ project, what, names: [...names] })),
  };
}
