# Clew as a service: SQLite in /data unless CLEW_DB names another store.
#
#   docker build --tag clew .
#   docker run --rm --volume clew:/data clew clew key create --name person:me --scope ingest --kind harness --scope graph:read
#   docker run --rm --publish 127.0.0.1:8080:8080 --volume clew:/data clew
#
# In a container Clew listens on every address, so it asks for a key and does not start before the first was made.

FROM python:3.11-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src

# What compiles the C of the index; it stays in this stage.
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*

# What Clew stands on changes seldom, so it comes first and stays in the cache of the build.
COPY requirements/ requirements/
RUN python -m venv /opt/clew \
 && /opt/clew/bin/pip install --require-hashes --only-binary :all: -r requirements/runtime.txt \
 && python -m venv /opt/build \
 && /opt/build/bin/pip install --require-hashes --only-binary :all: -r requirements/build.txt

COPY . .
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /opt/clew/bin/pip install --no-deps --no-index /wheels/*.whl

FROM python:3.11-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin clew \
 && install --directory --owner clew --group clew --mode 0700 /data
COPY --from=build /opt/clew /opt/clew
ENV PATH=/opt/clew/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CLEW_DB=sqlite:////data/clew.db \
    CLEW_KEY_FILE=/data/clew.keys
USER clew
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/readyz', timeout=4)"]
CMD ["clew", "serve", "--host", "0.0.0.0", "--port", "8080"]
