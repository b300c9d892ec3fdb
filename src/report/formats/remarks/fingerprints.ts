/** Names for remarks that stay the same from run to run, by which a service recognises those that it has shown. */

import { fingerprintOf } from '../../../engine/fingerprint.ts';
import { canonicalText } from '../../../base/json.ts';
import { lastingText, nameOfRule, type Remark } from '../../model/remarks/remark.ts';

/** Lines move when a file is edited, so the names do not depend on them. Equal remarks are numbered. */
export function fingerprintsOf(remarks: readonly Remark[]): readonly string[] {
  const seen = new Map<string, number>();
  return remarks.map((remark) => {
    const content = { path: remark.place?.file ?? '', rule: nameOfRule(remark), text: lastingText(remark) };
    const name = canonicalText(content);
    const number = seen.get(name) ?? 0;
    seen.set(name, number + 1);
    return fingerprintOf({ ...content, number });
  });
}
