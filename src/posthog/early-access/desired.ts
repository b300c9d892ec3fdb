/** The declarations of manifests about early access features, for one project. */

import type { JsonObject } from '../../base/json.ts';
import type { PlaceTree } from '../../base/place.ts';

export type DesiredFeature = DeclaredFeature | RetiredFeature;

/** A feature that must exist. Absent fields are not managed. */
export interface DeclaredFeature extends FeatureIdentity {
  readonly kind: 'declared';
  readonly previousKeys: readonly string[];
  /** The managed fields by their API name: `name`, `description`, `stage`, `documentation_url`. */
  readonly fields: JsonObject;
}

/** A feature that must be archived (`deleted: true`). */
export interface RetiredFeature extends FeatureIdentity {
  readonly kind: 'retired';
}

interface FeatureIdentity {
  /** The alias. */
  readonly key: string;
  /** The key of the flag. It tells which feature is meant: the service keeps one for each flag, and never another flag for one. */
  readonly flag: string;
  /** Whether manifests declare the flag for the project, too. */
  readonly managed: boolean;
  /** Places by API field name: `/name`, `/stage`. The root is the alias. */
  readonly places: PlaceTree;
}
