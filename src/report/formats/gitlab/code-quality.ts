/** Remarks as issues of a Code Quality report. */

import type { JsonObject } from '../../../base/json.ts';
import { fingerprintsOf, listed } from '../remarks/listed.ts';
import { messageText, nameOfRule, type RemarkLevel } from '../../model/remarks/remark.ts';
import type { RemarkList } from '../remarks/forms.ts';
import { placeOfNothing, type View } from '../../view.ts';
import { indentedJson } from '../json/seal.ts';

const SEVERITIES: Readonly<Record<RemarkLevel, string>> = { error: 'major', warning: 'minor', note: 'info' };

/** GitLab compares the fingerprints of two branches. */
export function codeQuality(list: RemarkList, view: View): string {
  const remarks = listed(list.remarks);
  const fingerprints = fingerprintsOf(remarks);
  const issues = remarks.map((remark, index): JsonObject => {
    const place = remark.place ?? placeOfNothing(view);
    return {
      description: messageText(remark),
      check_name: nameOfRule(remark),
      severity: SEVERITIES[remark.level],
      location: { path: place.file, lines: { begin: place.line } },
      fingerprint: fingerprints[index] ?? '',
    };
  });
  return indentedJson(issues);
}
