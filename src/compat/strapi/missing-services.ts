// Services of Strapi's plugins that are not offered, by plugin and service. They are there to be named, and fail where
// they are used; nobody finds them by listing what a plugin has.
import { notOffered } from './not-offered.ts';

/** Null for a service that is not offered at all, otherwise the members that one lacks. */
const MISSING: Readonly<Record<string, Readonly<Record<string, readonly string[] | null>>>> = {
  'users-permissions': {
    user: ['ensureHashedPasswords'],
    permission: null,
    providers: null,
    'providers-registry': null,
    'users-permissions': null,
  },
  upload: {
    upload: [
      'findPage',
      'findAndCountPage',
      'formatFileInfo',
      'getConfiguration',
      'setConfiguration',
      'getSettings',
      'setSettings',
    ],
    'api-upload-folder': null,
    extensions: null,
    file: null,
    folder: null,
    'image-manipulation': null,
    metrics: null,
    provider: null,
  },
  email: { email: ['getProviderSettings'] },
  i18n: {
    locales: ['initDefaultLocale', 'setIsDefault'],
    'content-types': null,
    'iso-locales': null,
    localizations: null,
    permissions: null,
    sanitize: null,
    settings: null,
  },
};

/** Plugins that every Strapi has. */
export const MISSING_PLUGINS: readonly string[] = [
  'content-manager',
  'content-type-builder',
  'content-releases',
  'review-workflows',
];

export const INSTEAD = 'see what runs in docs/strapi-code.md';

/** The services of a plugin, with those that it lacks. */
export function withMissingServices<S extends Readonly<Record<string, object>>>(plugin: string, services: S): S {
  for (const [service, members] of Object.entries(MISSING[plugin] ?? {})) {
    const place = members === null ? services : services[service]!;
    for (const name of members ?? [service]) {
      const label = `strapi.plugin('${plugin}').service('${service}')${members === null ? '' : `.${name}`}`;
      if (!Object.hasOwn(place, name)) Object.defineProperty(place, name, { value: notOffered(label, INSTEAD) });
    }
  }
  return services;
}
