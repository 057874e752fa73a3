import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddSecurityStamp1760000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "user" ADD "securityStamp" varchar NOT NULL DEFAULT gen_random_uuid()`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "user" DROP COLUMN "securityStamp"`);
  }
}
