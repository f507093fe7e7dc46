/** How far the clock of the api is ahead of this computer's, as its newest answer shows. */
let aheadMs = 0

/** Takes the time from an answer that has just come. Its header has whole seconds. */
export function noteTime({ headers }: Response): void {
  const atMs = Date.parse(headers.get('date') ?? '')
  if (!Number.isNaN(atMs)) aheadMs = atMs - Date.now()
}

/** The time of the api, whose instants the page shows. The only place that reads this computer's clock. */
export const nowMs = (): number => Date.now() + aheadMs
