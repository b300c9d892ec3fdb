/** How manifests declare flags. */

import type { JsonValue } from '../../../base/json.ts';
import type { DesiredFlag } from '../../desired.ts';
import type { DeclaredForm } from '../../family.ts';
import { checkLayers } from '../checks/layers.ts';
import { FLAG_BLOCK, FLAG_ORDER } from '../layout/order.ts';
import { prepareLayers } from './prepare-layers.ts';

export const FLAG_FORM: DeclaredForm<DesiredFlag> = {
  block: FLAG_BLOCK,
  order: FLAG_ORDER,
  prepareLayers,
  errorsOf: (declaration) =>
    checkLayers(declaration).flatMap(({ code, at, severity }) => (severity === 'error' ? [`${code} ${at}`] : [])),
  meaningOf: (flag) => {
    if (flag.kind === 'retired') return { key: flag.key, retired: true };
    const { key, previousKeys, fields, roleAccess, everyone, payloadSchema } = flag;
    const roles = roleAccess?.map(({ id, level }) => (level === undefined ? id : { id, level }));
    return {
      ...{ key, previousKeys, fields, roleAccess: roles, everyone: everyone?.level },
      payloadSchema: payloadSchema?.file,
    } as unknown as JsonValue;
  },
};
