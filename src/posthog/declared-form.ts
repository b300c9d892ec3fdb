/** How manifests declare the resources of a family: the layout and the layers of a declaration, and its meaning. */

import type { JsonValue } from '../base/json.ts';
import type { Declaration } from '../manifest/declaration.ts';
import type { PrepareLayers } from '../manifest/layers.ts';
import type { Block } from '../manifest/write/block-style.ts';
import type { Order } from '../manifest/write/order.ts';
import type { ManifestDiagnostic } from './manifests/problems.ts';

export interface DeclaredForm<Desired> {
  /** The parts in block style. */
  readonly block: Block;
  /** The usual order of the members. */
  readonly order: Order;
  /** Absent if overlays are plain merge patches. */
  readonly prepareLayers?: PrepareLayers;
  /** Errors of the layers as written, each by code and place; absent if nothing in an overlay can name a part of the base. */
  readonly errorsOf?: (declaration: Declaration) => readonly string[];
  /** The meaning of a declaration, without its places. */
  meaningOf(desired: Desired): JsonValue;
  /** The keys of those whose declarations may be the reason for an error elsewhere, the likeliest first. */
  causesOf?(problem: ManifestDiagnostic, declared: readonly Desired[]): readonly string[];
}
