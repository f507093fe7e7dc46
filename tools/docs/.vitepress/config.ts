import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { slugOf } from '../src/markdown.ts'
import { sidebarOf } from '../src/sidebar.ts'
import { allPages, madePages } from '../src/stage.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const pages = allPages()
const api = madePages()

// oxlint-disable-next-line import/no-default-export -- VitePress reads it
export default defineConfig({
  title: 'Merchant Payments',
  description: 'Payments on mobile money: guides, reference and runbooks.',
  srcDir: at('../.data/pages'),
  outDir: at('../../../dist/docs'),
  cacheDir: at('../.data/cache'),
  // Addresses with their ending, because not every web server adds it.
  cleanUrls: false,
  lastUpdated: false,
  locales: {
    root: { label: 'English', lang: 'en' },
    fr: {
      label: 'Français',
      lang: 'fr',
      link: '/fr/',
      title: 'Merchant Payments',
      description: 'Encaisser par Mobile Money : les premières pages.',
      themeConfig: {
        sidebar: { '/fr/': [...sidebarOf(pages, api, 'fr', slugOf)] as never },
        outline: { level: [2, 3], label: 'Sur cette page' },
        docFooter: { prev: 'Page précédente', next: 'Page suivante' },
        sidebarMenuLabel: 'Menu',
        returnToTopLabel: 'Haut de page',
        langMenuLabel: 'Langue',
        darkModeSwitchLabel: 'Apparence',
        skipToContentLabel: 'Aller au contenu',
      },
    },
  },
  markdown: { anchor: { slugify: slugOf }, image: { lazyLoad: true } },
  themeConfig: {
    // Few pages have a French one, so the switch leads to the first page of the other language.
    i18nRouting: false,
    sidebar: { '/': [...sidebarOf(pages, api, 'en', slugOf)] as never },
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        locales: {
          fr: {
            translations: {
              button: { buttonText: 'Rechercher', buttonAriaLabel: 'Rechercher' },
              modal: {
                noResultsText: 'Aucun résultat pour',
                resetButtonTitle: 'Effacer',
                backButtonTitle: 'Fermer',
                displayDetails: 'Afficher les détails',
                footer: { selectText: 'choisir', navigateText: 'naviguer', closeText: 'fermer' },
              },
            },
          },
        },
      },
    },
  },
})
