import type { DeclineTexts, FormWords, PageWords } from './words.ts'

/** `d’` before a vowel: la page d’Orange Money, la demande de MTN. */
const of = (rail: string): string => (/^[aeiouéèê]/i.test(rail) ? `d’${rail}` : `de ${rail}`)

export const form: FormWords = {
  offline: 'Vous êtes hors ligne. Un paiement déjà demandé continue sur votre téléphone.',
  noAnswer: 'Pas de réponse du réseau. Nous réessayons.',

  payTitle: 'Payer',
  railQuestion: 'Moyen de paiement',
  numberLabel: (rail) => `Numéro ${rail}`,
  anyNumberLabel: 'Votre numéro Mobile Money',
  numberHint: 'Par exemple 6 70 00 00 01',
  numberAtRail: (rail) => `${rail} le demandera aussi sur sa page.`,
  railProposed: (rail) => `${rail}, d’après votre numéro. Vous pouvez changer.`,
  railDiffers: (looksLike, chosen) =>
    `Ce numéro ressemble à un numéro ${looksLike}. Gardez ${chosen} seulement si vous avez changé d’opérateur.`,
  redirectNote: (rail) => `Vous allez payer sur la page ${of(rail)}, puis revenir ici.`,
  pushNote: (rail) =>
    `${rail} vous demandera votre code secret sur votre téléphone. Cette page ne le demande jamais.`,
  pay: (amount) => `Payer ${amount}`,
  payAtRail: (rail) => `Continuer vers ${rail}`,
  sending: 'Envoi de la demande…',
  numberMissing: 'Saisissez votre numéro Mobile Money.',
  numberFitsNone: (rails) =>
    `Ce numéro ne semble pas être un numéro ${rails.join(' ou ')}. Vérifiez-le. S’il est juste, appuyez encore une fois pour payer.`,
  railMissing: 'Vérifiez le numéro, ou choisissez le moyen de paiement.',
  numberRefused: 'Ce numéro n’est pas complet ou n’est pas un numéro de téléphone. Corrigez-le.',
  orderRefused: 'Ce paiement n’a pas pu être lancé. Rien n’a été prélevé.',
  notReceived:
    'Votre demande ne semble pas être partie. Vous pouvez réessayer : vous ne paierez pas deux fois.',
  startAgain: (merchant) => `Ce paiement ne peut plus être fait ici. Recommencez chez ${merchant}.`,
  noRail: (merchant) => `Aucun moyen de paiement n’est disponible. Retournez chez ${merchant}.`,

  approveTitle: 'Confirmez sur votre téléphone',
  approveStep: (rail) => `Ouvrez la demande ${of(rail)} et tapez votre code secret.`,
  approveNumber: (number) => `Demande envoyée au ${number}.`,
  approvePayee: (name) => `La demande est au nom de ${name}.`,
  approveBy: (time) => `Confirmez avant ${time}.`,
  timeLeft: (minutes, seconds) => `Il reste ${minutes} min ${String(seconds).padStart(2, '0')} s`,
  timeLeftSpoken: (seconds) => `Il reste ${seconds} secondes.`,
  noPromptTitle: 'Pas de demande sur votre téléphone ?',
  dial: (code) => `Composez ${code}`,
  dialSteps: (code, rail) => [
    `Sur le téléphone qui paie, composez ${code}.`,
    'Ouvrez le paiement en attente, et vérifiez le montant.',
    `Tapez votre code secret ${rail} pour confirmer.`,
  ],
  copy: 'Copier le code',
  copied: 'Code copié.',
  slow: 'Ne payez pas une deuxième fois : nous attendons toujours la réponse de l’opérateur.',
  checkNow: 'Vérifier maintenant',
  updates: 'Cette page se met à jour toute seule.',

  wrongNumber: 'Mauvais numéro ?',
  otherWay: 'Payer autrement',
  wishWarning: 'Une seule demande à la fois : ne payez pas ailleurs tant que celle-ci est en cours.',
  requestStays: 'La demande envoyée ne peut pas être annulée d’ici.',
  requestStaysAt: (number) => `La demande envoyée au ${number} ne peut pas être annulée d’ici.`,
  atRailStays: (rail) => `Le paiement ouvert sur ${rail} ne peut pas être annulé d’ici.`,
  goesOnAt: (time, minutes, seconds) =>
    `Fin à ${time}, dans ${minutes} min ${String(seconds).padStart(2, '0')} s. Cette page continuera alors toute seule.`,
  goesOnAfterAnswer: 'Son délai est passé. Cette page continuera toute seule dès la réponse de l’opérateur.',
  refuseOnPhone: 'Pour continuer tout de suite, refusez la demande sur le téléphone qui l’a reçue.',
  refuseAtRail: (rail) =>
    `Pour continuer tout de suite, refusez le paiement sur la page ${of(rail)}, si elle le permet.`,
  freeAgain: 'La demande précédente a pris fin sans paiement. Vous pouvez payer maintenant.',

  atRailTitle: (rail) => `Terminez sur ${rail}`,
  atRailText: (rail) => `Si vous n’avez pas fini de payer, retournez sur la page ${of(rail)}.`,
  atRailWatching:
    'Si vous avez payé, ne payez pas une deuxième fois : nous attendons la réponse de l’opérateur.',
  toRail: (host) => `Aller sur ${host}`,
  leavingTitle: (rail) => `Ouverture de la page ${of(rail)}…`,

  unsureTitle: 'Nous vérifions votre demande',
  unsureText: 'Ne payez pas autrement : nous cherchons à savoir si votre demande est partie.',

  pendingTitle: 'Pas encore de réponse de l’opérateur',
  pendingText: (merchant) =>
    `Ne payez pas une deuxième fois. Vous pouvez fermer cette page : ${merchant} sera prévenu du résultat.`,
  waitOn: 'Continuer à vérifier',

  declinedTitle: 'Le paiement n’a pas abouti',
  declineWatch: 'Si vous confirmez quand même sur votre téléphone, cette page le montrera.',
  sameNumber: 'Utiliser le même numéro',
  otherNumber: 'Utiliser un autre numéro',
  tryAgain: 'Réessayer',
  railSays: 'Message de l’opérateur',

  noMoreTriesTitle: 'Ce lien n’accepte plus d’essai',
  noMoreTriesText: (merchant) =>
    `Il y a eu trop d’essais. Si vous avez confirmé une demande sur votre téléphone, cette page le montrera. Sinon, demandez un nouveau lien à ${merchant}.`,

  succeededTitle: 'Paiement réussi',
  openRequest: (where) =>
    `Vous avez payé. Une autre demande est encore ouverte ${where}. Ne la confirmez pas : vous paieriez deux fois.`,
  atNumber: (number) => `sur le ${number}`,
  atPhone: 'sur votre téléphone',
  atRailPage: (rail) => `sur la page ${of(rail)}`,

  canceledTitle: 'Paiement annulé par le marchand',
  canceledText: (merchant) =>
    `${merchant} n’attend plus ce paiement. Ne confirmez pas la demande sur votre téléphone.`,
  expiredTitle: 'Ce lien de paiement a expiré',
  expiredText: (merchant) => `Retournez chez ${merchant} pour en demander un autre.`,

  unreadableTitle: 'Nous n’arrivons pas à vérifier',
  unreadableText: 'Aucun nouveau paiement n’a été lancé depuis cette page. Vérifiez votre connexion.',
  retry: 'Réessayer',
  lostTitle: 'Lien incomplet',

  testMode: 'Test : aucun argent ne bouge',
}

export const page: PageWords = {
  mayClose: 'Vous pouvez la fermer et rouvrir votre lien.',

  onPhoneTitle: 'Payer depuis votre téléphone ?',
  onPhoneText: 'Scannez ce code pour ouvrir cette page. Il ouvre votre paiement : ne le partagez pas.',

  receiptTitle: 'Reçu',
  receiptMerchant: 'Payé à',
  receiptOrder: 'Pour',
  receiptAmount: 'Montant',
  receiptMeans: 'Payé avec',
  receiptPayer: 'Du numéro',
  receiptPayee: 'Au numéro',
  receiptDate: 'Payé le',
  receiptTransaction: 'N° de transaction',
  receiptReference: 'Référence',
  receiptFile: 'recu.png',
  share: 'Partager le reçu',
  sendByWhatsApp: 'Envoyer par WhatsApp',
  saveImage: 'Enregistrer en image',
  notSaved: 'L’image n’a pas pu être enregistrée. Imprimez le reçu, ou faites une capture d’écran.',
  print: 'Imprimer ou enregistrer en PDF',
  toShop: (merchant) => `Retourner chez ${merchant}`,

  lostText:
    'Rouvrez en entier le lien de paiement que vous avez reçu. Pour voir un résultat, retournez chez le marchand.',
}

export const declines: DeclineTexts = {
  insufficient_funds: {
    reason: 'Le solde ne suffit pas, frais compris.',
    advice: 'Rechargez votre compte, ou payez avec un autre numéro.',
  },
  insufficient_funds_or_limit: {
    reason: 'Le solde ne suffit pas, ou un plafond est atteint.',
    advice: 'Vérifiez le solde, ou payez avec un autre numéro.',
  },
  payer_declined: {
    reason: 'La demande a été refusée sur le téléphone.',
    advice: 'Si c’était une erreur, réessayez.',
  },
  approval_timeout: {
    reason: 'La demande n’a pas été confirmée à temps.',
    advice: 'Gardez le téléphone près de vous, et réessayez.',
  },
  redirect_expired: {
    reason: 'La page de paiement a expiré avant la confirmation.',
    advice: 'Réessayez.',
  },
  payer_not_found: {
    reason: 'Ce numéro n’a pas de compte chez cet opérateur.',
    advice: 'Vérifiez le numéro, ou choisissez un autre moyen de paiement.',
  },
  payer_inactive: {
    reason: 'Ce compte est bloqué ou inactif.',
    advice: 'Appelez votre opérateur, ou payez avec un autre numéro.',
  },
  limit_reached: {
    reason: 'Le compte a atteint un plafond.',
    advice: 'Payez avec un autre numéro, ou attendez demain.',
  },
  payee_refused: {
    reason: 'Le compte du marchand ne peut pas recevoir ce paiement.',
    advice: 'Prévenez {merchant}. Un autre moyen de paiement peut marcher.',
  },
  rail_misconfigured: {
    reason: 'Le paiement n’a pas pu être traité.',
    advice: 'Prévenez {merchant}. Un autre moyen de paiement peut marcher.',
  },
  rail_processing_error: {
    reason: 'L’opérateur n’a pas pu faire le paiement. Souvent, le solde ne suffit pas.',
    advice: 'Vérifiez le solde, puis réessayez.',
  },
  rail_unavailable: {
    reason: 'L’opérateur est indisponible pour le moment.',
    advice: 'Réessayez dans quelques minutes.',
  },
  not_accepted: {
    reason: 'L’opérateur n’a pas reçu la demande.',
    advice: 'Réessayez.',
  },
  declined: {
    reason: 'L’opérateur a refusé le paiement.',
    advice: 'Réessayez, ou payez avec un autre numéro.',
  },
}
