/** What `promote` prints (schemas/promote.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { AcceptedChange, LeftPromotion } from '../../../editing/results.ts';
import type { ReportOf } from '../../report.ts';
import { leftPromotionText } from '../../words/promoted.ts';
import { FORMAT_VERSION } from './version.ts';

export function promoteDocument(report: ReportOf<'promote'>): JsonObject {
  const { from, to, source, files, promoted, same, kept, left, patch } = report;
  return {
    format_version: FORMAT_VERSION,
    from,
    to,
    source,
    files: files.map(({ file, status }) => ({ file, status })),
    promoted: promoted.map(({ key, changes }) => ({ key, changes: changes.map(changeDocument) })),
    same,
    kept: kept.map((value) => ({ ...value })),
    left: left.map(leftDocument),
    ...defined({ patch }),
  };
}

function changeDocument({ path, before, after, place, layer }: AcceptedChange): JsonObject {
  return { path, ...defined({ before, after, layer, place: place && { ...place } }) };
}

function leftDocument(flag: LeftPromotion): JsonObject {
  const { key, reason, place, suggestion } = flag;
  const chain = reason.code === 'dependency-left' ? reason.chain : undefined;
  return {
    key,
    code: reason.code,
    message: leftPromotionText(flag),
    ...defined({ chain, place: place && { ...place }, suggestion }),
  };
}
