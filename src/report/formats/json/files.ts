/** What `init` and `export` print (schemas/files.schema.json). */

import type { JsonObject } from '../../../base/json.ts';
import type { ReportOf } from '../../report.ts';
import { FORMAT_VERSION } from './version.ts';

export function filesDocument({ files }: Pick<ReportOf<'files'>, 'files'>): JsonObject {
  return { format_version: FORMAT_VERSION, files: files.map(({ file, status }) => ({ file, status })) };
}

export function exportDocument({ files, unchecked, leftOut, unmanaged, merge }: ReportOf<'export'>): JsonObject {
  return {
    ...filesDocument({ files }),
    unchecked: unchecked.map(({ key, reasons }) => ({ key, reasons })),
    left_out: leftOut.map(({ key, id, reasons }) => ({ key, id, reasons })),
    unmanaged: unmanaged.map(({ member, flags, reason }) => ({ member, flags, reason })),
    ...(merge === undefined
      ? {}
      : {
          overlaid: merge.overlaid,
          limited: merge.limited,
          not_merged: merge.notMerged.map((flag) => ({ ...flag })),
        }),
  };
}
