import { expect, heading, test } from './stack/fixtures.ts'

test.use({ locale: 'fr-CM' })

test('a browser in French shows the dashboard in French, and the switch shows it in English', async ({
  page,
  world,
}) => {
  await page.goto('/dash/')
  await page.getByRole('link', { name: 'Se connecter' }).click()
  await page.getByRole('button', { name: /^Omar/ }).click()
  await expect(heading(page)).toHaveText('Vue d’ensemble')
  await page.goto(`/dash/payments/${world.paid}`)
  await expect(heading(page)).toContainText(/12\s500/)
  await expect(page.locator('.timeline')).toContainText('a accepté la demande')
  await page.getByRole('button', { name: 'Rembourser le paiement' }).click()
  await expect(page.getByLabel('Motif (inscrit au journal d’audit)')).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByLabel('Langue').selectOption('en')
  await expect(heading(page)).toContainText('12,500')
})
