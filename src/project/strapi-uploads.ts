// What the configuration of a Strapi project says of files: the upload plugin with its provider, the folder of public
// files, and how large the files of a request may be.
import { isObject } from '../type-guards.ts';
import type { ConfigName, StrapiConfig } from './strapi-config.ts';

/** What becomes of values: settings, or notes. */
export interface FileReader {
  copy(name: ConfigName, keys: readonly string[], path: readonly string[]): void;
  give(
    name: ConfigName,
    keys: readonly string[],
    given: { readonly path: readonly string[]; readonly value: unknown },
  ): void;
  note(name: ConfigName, keys: readonly string[], text: string): void;
}

const UPLOAD = ['upload', 'config'];
const PROVIDER = [...UPLOAD, 'provider'];
const OPTIONS = [...UPLOAD, 'providerOptions'];
const LOCAL = new Set(['local', '@strapi/provider-upload-local']);
const S3 = new Set(['aws-s3', '@strapi/provider-upload-aws-s3']);
const YEAR_SECONDS = 31_536_000;

export function readUploads(config: StrapiConfig, reader: FileReader): void {
  const folder = config.value('server', 'dirs', 'public');
  if (typeof folder === 'string') {
    const value = folder.replace(/\/+$/, '');
    reader.give('server', ['dirs', 'public'], { path: ['server', 'publicFolder'], value });
    reader.give('server', ['dirs', 'public'], { path: ['files', 'folder'], value: `${value}/uploads` });
  }
  readSize(config, reader);
  reader.copy('plugins', [...UPLOAD, 'breakpoints'], ['files', 'breakpoints']);
  for (const key of ['allowedTypes', 'deniedTypes'])
    reader.copy('plugins', [...UPLOAD, 'security', key], ['files', key]);
  const provider = config.value('plugins', ...PROVIDER) ?? 'local';
  if (S3.has(String(provider))) readS3(config, reader);
  else if (LOCAL.has(String(provider))) readLocal(config, reader);
  else reader.note('plugins', PROVIDER, `${String(provider)} is not used; files are stored in the folder, or in S3`);
}

/** The lower of the two limits that Strapi has. */
function readSize(config: StrapiConfig, reader: FileReader): void {
  const keys = [...UPLOAD, 'sizeLimit'];
  const limit = config.value('plugins', ...keys);
  const received = receivedLimit(config.value('middlewares'));
  const path = ['files', 'maxBytes'];
  if (typeof received === 'number' && !(typeof limit === 'number' && limit <= received))
    reader.give('middlewares', [], { path, value: received });
  else if (typeof limit === 'number' && (received !== undefined || limit < DEFAULT_RECEIVED))
    reader.give('plugins', keys, { path, value: limit });
}

const DEFAULT_RECEIVED = 209_715_200;

function receivedLimit(middlewares: unknown): unknown {
  if (!Array.isArray(middlewares)) return undefined;
  const body = middlewares.find((one) => isObject(one) && one.name === 'strapi::body');
  const form = isObject(body) && isObject(body.config) ? body.config.formidable : undefined;
  return isObject(form) ? form.maxFileSize : undefined;
}

/** `localServer.maxage`, in milliseconds. */
function readLocal(config: StrapiConfig, reader: FileReader): void {
  const keys = [...OPTIONS, 'localServer', 'maxage'];
  const maxAge = config.value('plugins', ...keys);
  if (typeof maxAge !== 'number') return;
  const seconds = Math.min(YEAR_SECONDS, Math.floor(maxAge / 1000));
  reader.give('plugins', keys, { path: ['files', 'cacheControl'], value: `max-age=${seconds}` });
}

function readS3(config: StrapiConfig, reader: FileReader): void {
  const at = (...keys: readonly string[]): unknown => config.value('plugins', ...OPTIONS, ...keys);
  // Earlier versions have the options of the client beside the others.
  const base = at('s3Options') === undefined ? [] : ['s3Options'];
  const acl = at(...base, 'params', 'ACL') ?? 'public-read';
  const values = {
    bucket: at(...base, 'params', 'Bucket'),
    region: at(...base, 'region'),
    endpoint: at(...base, 'endpoint'),
    pathStyle: at(...base, 'forcePathStyle'),
    accessKeyId: at(...base, 'credentials', 'accessKeyId') ?? at(...base, 'accessKeyId'),
    secretAccessKey: at(...base, 'credentials', 'secretAccessKey') ?? at(...base, 'secretAccessKey'),
    baseUrl: at('baseUrl'),
    prefix: at('rootPath'),
    signedUrlSeconds: at(...base, 'params', 'signedUrlExpires'),
    acl,
    private: acl === 'private',
  };
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
  reader.give('plugins', OPTIONS, { path: ['files', 's3'], value: given });
}
