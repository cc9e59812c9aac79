import type { ReactNode } from 'react';
import { PageHeader } from '../../ui/page.tsx';

export default function Files(): ReactNode {
  return <PageHeader title="Files" />;
}
