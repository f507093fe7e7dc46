/** Names of values that this browser keeps: a staff member's choices, and when the API answered last. */
type Preference = 'language' | 'zone' | 'keys' | 'last_request' | `columns.${string}`

/** Null if nothing was chosen, or if the browser refuses to store anything. */
export function readPreference(name: Preference): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Keeps the choice and loads the page again, because texts and times are made when the scripts are loaded. */
export function choosePreference(name: Preference, value: string): void {
  try {
    localStorage.setItem(name, value)
  } finally {
    location.reload()
  }
}

/** Keeps the choice for the next time, if the browser stores anything. */
export function keepPreference(name: Preference, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // The choice lasts as long as the page.
  }
}

/** Whether single keys are shortcuts. Who speaks to a computer turns them off, because each word is keys (WCAG 2.1.4). */
export const areKeysOn = (): boolean => readPreference('keys') !== 'off'
