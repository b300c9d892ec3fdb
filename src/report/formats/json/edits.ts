/** The JSON of `accept`, `promote`, `init` and `export` (schemas/accept, promote and files). */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { AcceptedChange } from '../../../editing/results.ts';
import type { BaseFacts } from '../../../engine/base.ts';
import type { Attribution } from '../../../posthog/authors/attribution.ts';
import { attributionOf } from '../../report-facts.ts';
import type { ReportOf } from '../../report.ts';
import { leftPromotionText, leftText } from '../../words/edits.ts';
import { diagnosticDocument } from './checks.ts';
import { FORMAT_VERSION } from './seal.ts';

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
    left: left.map((flag) => ({
      key: flag.key,
      code: flag.reason.code,
      message: leftText(flag),
      ...(flag.reason.code === 'invalid' ? { problem: flag.reason.problem.code } : {}),
      ...defined({ place: flag.place && { ...flag.place }, suggestion: flag.suggestion }),
    })),
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
      attribution: attribution && { ...attribution },
    }),
  };
}

export function promoteDocument(report: ReportOf<'promote'>): JsonObject {
  const { from, to, source, files, promoted, same, kept, left, warnings, patch } = report;
  return {
    format_version: FORMAT_VERSION,
    from,
    to,
    source,
    files: files.map(({ file, status }) => ({ file, status })),
    promoted: promoted.map(({ key, changes }) => ({ key, changes: changes.map(copiedDocument) })),
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

function copiedDocument({ path, before, after, place, layer }: AcceptedChange): JsonObject {
  return { path, ...defined({ before, after, layer, place: place && { ...place } }) };
}

export function filesDocument({ files }: Pick<ReportOf<'files'>, 'files'>): JsonObject {
  return { format_version: FORMAT_VERSION, files: files.map(({ file, status }) => ({ file, status })) };
}

export function exportDocument({ files, unchecked, leftOut, unmanaged, merge }: ReportOf<'export'>): JsonObject {
  return {
    ...filesDocument({ files }),
    unchecked: unchecked.map(({ key, reasons }) => ({ key, reasons })),
    left_out: leftOut.map(({ key, id, reasons }) => ({ key, id, reasons })),
    unmanaged: unmanaged.map(({ member, flags, reason }) => ({ member, flags, reason })),
    ...(merge && {
      overlaid: merge.overlaid,
      limited: merge.limited,
      not_merged: merge.notMerged.map((flag) => ({ ...flag })),
    }),
  };
}
