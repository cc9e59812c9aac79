import type { ReactNode } from 'react';
import { PageHeader } from '../../ui/page.tsx';

export default function Server(): ReactNode {
  return <PageHeader title="Server" />;
}
