/** What `accept` prints (schemas/accept.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { BaseFacts } from '../../../engine/base.ts';
import type { AcceptedChange, LeftFlag } from '../../../editing/results.ts';
import type { Attribution } from '../../../posthog/attribution.ts';
import { attributionOf } from '../../accept-facts.ts';
import type { ReportOf } from '../../report.ts';
import { leftText } from '../../words/accepted.ts';
import { FORMAT_VERSION } from './version.ts';

export function acceptDocument(report: ReportOf<'accept'>): JsonObject {
  const { project, base, files, accepted, added, left, pending, patch, attributions } = report;
  return {
    format_version: FORMAT_VERSION,
    project: { ...project },
    files: files.map(({ file, status }) => ({ file, status })),
    accepted: accepted.map(({ key, changes }) => ({
      key,
      changes: changes.map((change) => changeDocument(change, attributionOf(change, attributions))),
    })),
    added: added.map(({ key, place }) => ({ key, place: { ...place } })),
    left: left.map(leftDocument),
    pending: pending.map(({ key, paths }) => ({ key, paths })),
    ...defined({ base: base && baseDocument(base), patch }),
  };
}

function baseDocument(base: BaseFacts): JsonObject {
  return base.kind === 'commit'
    ? ({ ...base } as unknown as JsonObject)
    : { kind: base.kind, reason: base.reason.code };
}

function changeDocument(
  { path, before, after, divergence, base, place, layer }: AcceptedChange,
  attribution: Attribution | undefined,
): JsonObject {
  return {
    path,
    ...defined({
      before,
      after,
      divergence,
      base,
      layer,
      place: place && { ...place },
      attribution: attribution && attributionDocument(attribution),
    }),
  };
}

function attributionDocument(attribution: Attribution): JsonObject {
  return { ...attribution };
}

function leftDocument(flag: LeftFlag): JsonObject {
  const { key, reason, place, suggestion } = flag;
  const detail = reason.code === 'invalid' ? { problem: reason.problem.code } : {};
  return {
    key,
    code: reason.code,
    message: leftText(flag),
    ...detail,
    ...defined({ place: place && { ...place }, suggestion }),
  };
}
