import { I18nProvider } from '@lingui/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { pauseWhileUnattended } from './attendance.ts'
import { i18n, language } from './i18n.ts'
import { createQueries, ME } from './queries.ts'
import { createDashboardRouter } from './router.tsx'

/**
 * Renders the dashboard.
 *
 * @returns a function that removes it
 */
export function openDashboard(container: HTMLElement): () => void {
  document.documentElement.lang = language
  const queries = createQueries()
  const router = createDashboardRouter()
  // A 401 clears what is shown: nothing stays on a screen that somebody has left.
  const attend = pauseWhileUnattended(() => void queries.refetchQueries({ queryKey: ME }))
  const root = createRoot(container)
  root.render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>,
  )
  return () => {
    root.unmount()
    attend.stop()
    queries.clear()
  }
}
