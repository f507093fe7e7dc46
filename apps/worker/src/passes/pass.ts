/** What every pass tells the schedule. */
export interface PassReport {
  /** It took as much as a pass may, so more is probably waiting. */
  readonly full: boolean
}
