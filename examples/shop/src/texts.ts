export type Lang = 'fr' | 'en'

/** The shop's words, in the languages that the payment page and the payment form have. */
export const texts = {
  en: {
    shop: 'A shop',
    article: 'Coffee, 1 kg',
    buyHosted: 'Buy, and pay on the payment page',
    buyEmbedded: 'Buy, and pay here',
    pay: 'Pay',
    yourOrder: 'Your order',
    backToShop: 'Back to the shop',
    paidTitle: 'Paid',
    notPaidTitle: 'Not paid',
    thanks: 'Thank you. See your order for what happens next.',
    paid: 'Paid. The coffee is on its way.',
    unpaid: 'Not paid yet. This page looks again by itself.',
    noPage: 'There is no such page.',
    failed: 'This did not work. Nothing was charged.',
  },
  fr: {
    shop: 'Une boutique',
    article: 'Café, 1 kg',
    buyHosted: 'Acheter, et payer sur la page de paiement',
    buyEmbedded: 'Acheter, et payer ici',
    pay: 'Payer',
    yourOrder: 'Votre commande',
    backToShop: 'Retour à la boutique',
    paidTitle: 'Payé',
    notPaidTitle: 'Pas payé',
    thanks: 'Merci. Voyez la suite dans votre commande.',
    paid: 'Payé. Le café est en route.',
    unpaid: 'Pas encore payé. Cette page s’actualise toute seule.',
    noPage: 'Cette page n’existe pas.',
    failed: 'Cela n’a pas fonctionné. Rien n’a été débité.',
  },
} as const satisfies Record<Lang, object>

/** An amount of XAF, without a space at which a line could break. */
export const priceText = (amount: number, lang: Lang): string =>
  `${new Intl.NumberFormat(`${lang}-CM`).format(amount)}\u00a0FCFA`

/** The language of a browser's `Accept-Language`, whose first entry is the one that its user prefers. */
export const langOf = (acceptLanguage: string | undefined): Lang =>
  acceptLanguage?.toLowerCase().startsWith('fr') === true ? 'fr' : 'en'
