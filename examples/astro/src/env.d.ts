interface ImportMetaEnv {
  readonly SHEAF_URL?: string;
  readonly SHEAF_TOKEN?: string;
}
