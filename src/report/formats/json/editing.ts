/** The JSON of `accept` and `promote`. */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { AcceptedChange } from '../../../editing/edit.ts';
import type { Attributions } from '../../../posthog/authors/attribution.ts';
import { type AcceptReport, attributionOf, type PromoteReport } from '../../editing.ts';
import { leftPromotionText, leftText } from '../../words/editing.ts';
import { diagnosticDocument } from './checks.ts';
import { FORMAT_VERSION } from './seal.ts';

export function acceptDocument(report: AcceptReport): JsonObject {
  const { project, base, files, accepted, added, left, pending, patch, attributions } = report;
  return {
    format_version: FORMAT_VERSION,
    project: { ...project },
    files: files.map(({ file, status }) => ({ file, status })),
    accepted: accepted.map(({ key, changes }) => ({
      key,
      changes: changes.map((change) => changeDocument(change, attributions)),
    })),
    added: added.map(({ key, place }) => ({ key, place: { ...place } })),
    left: left.map((flag) => ({
      key: flag.key,
      code: flag.reason.code,
      message: leftText(flag),
      ...(flag.reason.code === 'invalid' ? { problem: flag.reason.problem.code } : {}),
      ...defined({ place: flag.place && { ...flag.place }, suggestion: flag.suggestion }),
    })),
    pending: pending.map(({ key, paths }) => ({ key, paths })),
    ...(base === undefined
      ? {}
      : {
          base:
            base.kind === 'commit'
              ? ({ ...base } as unknown as JsonObject)
              : { kind: base.kind, reason: base.reason.code },
        }),
    ...defined({ patch }),
  };
}

function changeDocument(change: AcceptedChange, attributions: Attributions | undefined): JsonObject {
  const { path, before, after, divergence, base, place, layer } = change;
  const attribution = attributionOf(change, attributions);
  return {
    path,
    ...defined({ before, after, divergence, base, layer }),
    ...defined({ place: place && { ...place }, attribution: attribution && { ...attribution } }),
  };
}

export function promoteDocument(report: PromoteReport): JsonObject {
  const { from, to, source, files, promoted, same, kept, left, warnings, patch } = report;
  return {
    format_version: FORMAT_VERSION,
    from,
    to,
    source,
    files: files.map(({ file, status }) => ({ file, status })),
    promoted: promoted.map(({ key, changes }) => ({
      key,
      changes: changes.map(({ path, before, after, place, layer }) => ({
        path,
        ...defined({ before, after, layer, place: place && { ...place } }),
      })),
    })),
    same,
    kept: kept.map((value) => ({ ...value })),
    left: left.map((flag) => ({
      key: flag.key,
      code: flag.reason.code,
      message: leftPromotionText(flag),
      ...defined({
        chain: flag.reason.code === 'dependency-left' ? flag.reason.chain : undefined,
        place: flag.place && { ...flag.place },
        suggestion: flag.suggestion,
      }),
    })),
    warnings: warnings.map(diagnosticDocument),
    ...defined({ patch }),
  };
}
