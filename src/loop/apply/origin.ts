/** Who applies a plan, and from which commit of the manifests. */

export interface RunOrigin {
  readonly actor?: Actor;
  /** The commit of the repository with the manifests, in full. */
  readonly commit?: string;
}

export interface Actor {
  /** A user of the host, or of the CI system. */
  readonly name: string;
  /** The name of the host; absent in CI. */
  readonly host?: string;
  /** The CI system; absent on a host. */
  readonly ci?: string;
  /** The page of the CI job. */
  readonly url?: string;
}
