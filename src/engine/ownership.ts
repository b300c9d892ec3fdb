/** Who decides about a resource, a field of it, or a part of a field. Only what a manifest owns is compared and written. */

export type Owner =
  /** A manifest of this project declares it. */
  | 'manifest'
  /** Manifests name it for other projects only: neither unmanaged nor pruned. */
  | 'other-project'
  /** Another product of the service writes it: compared only where a manifest declares it, and kept in what is sent. */
  | 'other-product'
  /** The service computes it: never compared, never written. */
  | 'service'
  /** No manifest names it: reported, and changed only on request. */
  | 'unmanaged';

/** The keys that manifests name. */
export interface NamedKeys {
  readonly here: ReadonlySet<string>;
  readonly elsewhere: ReadonlySet<string>;
}

export function findResourceOwner(key: string, { here, elsewhere }: NamedKeys): Owner {
  if (here.has(key)) return 'manifest';
  return elsewhere.has(key) ? 'other-project' : 'unmanaged';
}
