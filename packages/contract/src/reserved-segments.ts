/** Reserved for collections: no object has this id, and no search is routed (spec 4.2). */
export const SEARCH_SEGMENT = 'search'

/** No path leads to an object with one of these ids. Browsers remove dots from an address, encoded ones too. */
export const reservedSegments: readonly string[] = [SEARCH_SEGMENT, '.', '..']
