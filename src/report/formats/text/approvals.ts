/** The change requests that concern a change, below it, each with its page. */

import type { KnownRequest } from '../../../engine/change-request.ts';
import type { Change } from '../../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import type { Palette } from '../../view.ts';
import { approvalText } from '../../words/approvals.ts';

export function approvalLines(
  { ref }: Pick<Change, 'ref'>,
  requests: readonly KnownRequest[] | undefined,
  palette: Palette,
): string[] {
  const own = (requests ?? []).filter((request) => request.ref === ref);
  return own.flatMap((request) => [
    palette.warning(approvalText(request, quoteShort)),
    ...(request.url === undefined ? [] : [palette.dim(escapeLine(request.url))]),
  ]);
}
