import type { APIResponse, Page } from '@playwright/test'

/** Sends a change as the page does. */
export async function sendAsPage(
  page: Page,
  path: string,
  form: Readonly<Record<string, string>> = {},
): Promise<APIResponse> {
  const member = (await (await page.request.get('/dash/v1/me')).json()) as { csrf_token: string }
  const headers = {
    origin: new URL(page.url()).origin,
    'csrf-token': member.csrf_token,
    'idempotency-key': crypto.randomUUID(),
  }
  return page.request.post(`/dash/v1${path}`, { headers, form: { ...form } })
}
