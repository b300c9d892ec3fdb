// A failure that a person can fix: its message names the place and the remedy.

export class Failure extends Error {}

/** An answer of the forge that is no success. `status` is 0 if no answer came. */
export class ForgeFailure extends Failure {
  constructor({ status, isUnknown, message }) {
    super(message);
    this.status = status;
    /** Whether the request may have been carried out all the same. */
    this.isUnknown = isUnknown;
  }
}
