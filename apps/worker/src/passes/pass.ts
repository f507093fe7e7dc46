export interface PassReport {
  /** The pass reached its limit, so more work is probably waiting. */
  readonly full: boolean
}
